// A versitygw with one account that keeps objects in a folder, without the back-ends of other clouds that its own
// program compiles in. Arguments: listening address, folder of buckets, folder of metadata, and for TLS the files of a
// certificate and its key.
package main

import (
	"context"
	"io"
	"log"
	"os"
	"os/signal"
	"syscall"

	"github.com/versity/versitygw/backend/meta"
	"github.com/versity/versitygw/backend/posix"
	"github.com/versity/versitygw/embedgw"
)

func main() {
	sidecar, err := meta.NewSideCar(os.Args[3])
	if err != nil {
		log.Fatal(err)
	}
	folder, err := posix.New(os.Args[2], sidecar, posix.PosixOpts{SideCarDir: os.Args[3]})
	if err != nil {
		log.Fatal(err)
	}
	config := &embedgw.Config{
		RootUserAccess:    os.Getenv("AWS_ACCESS_KEY_ID"),
		RootUserSecret:    os.Getenv("AWS_SECRET_ACCESS_KEY"),
		Ports:             []string{os.Args[1]},
		MaxConnections:    1000,
		MaxRequests:       1000,
		MultipartMaxParts: 10000,
		KeepAlive:         true,
		Quiet:             true,
	}
	if len(os.Args) > 5 {
		config.CertFile, config.KeyFile = os.Args[4], os.Args[5]
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	// The standard input ends with the process that has started this one, however that process ends.
	go func() {
		io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	if err := embedgw.RunVersityGW(ctx, folder, config); err != nil {
		log.Fatal(err)
	}
}
