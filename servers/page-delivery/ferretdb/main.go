// MongoDB's protocol on a port of loopback: FerretDB, embedded, with SQLite. Says where it is, and ends when its standard input does.
//
// usage: server FOLDER   of its data
package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/FerretDB/FerretDB/ferretdb"
)

func main() {
	if err := serve(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "error: ferretdb:", err)
		os.Exit(70)
	}
}

func serve(folder string) error {
	database, err := ferretdb.New(&ferretdb.Config{
		Listener:  ferretdb.ListenerConfig{TCP: "127.0.0.1:0"},
		Handler:   "sqlite",
		SQLiteURL: "file:" + folder + "/",
	})
	if err != nil {
		return err
	}
	running, stop := context.WithCancel(context.Background())
	go func() {
		io.Copy(io.Discard, os.Stdin)
		stop()
	}()
	go fmt.Println("ready", database.MongoDBURI()) // the address is there once it runs
	return database.Run(running)
}
