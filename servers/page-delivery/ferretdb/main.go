// Serves MongoDB's protocol on a loopback port with embedded FerretDB on SQLite. Prints its address, exits at the end of standard input.
//
// usage: server FOLDER   (for its data)
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
	go fmt.Println("ready", database.MongoDBURI()) // blocks until the database runs
	return database.Run(running)
}
