#!/usr/bin/awk -f
# page-to-difference: how far a worker's own count of pings is from the pings that were sent to it, by the clients and by a page.
#
#   awk -f page-to-difference.awk raw/browser/metrics.tsv raw/client/intervals.tsv
#
# metrics.tsv    metric, value: worker_count_last and page_pings (clients/browser)
# intervals.tsv  sent, of each second (clients/CONTRACT.md)
# Output:        metric, value; nothing but the header where the page counted nothing
#
#   metric            value
#   count_difference  0

BEGIN { FS = OFS = "\t"; print "metric", "value" }

FNR == 1 { split("", column); for (i = 1; i <= NF; i++) column[$i] = i; next }
"metric" in column { of_page[$column["metric"]] = $column["value"]; next }
{ sent += $column["sent"] }

END { if ("worker_count_last" in of_page) print "count_difference", of_page["worker_count_last"] - of_page["page_pings"] - sent }
