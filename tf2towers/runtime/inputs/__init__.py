"""Where a migrated program's batches come from: pipelines that begin anew, TF1's queues, files of MNIST."""
