set term pngcairo
