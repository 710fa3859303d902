-- Failures of a move since it last moved messages. A move that fails too often is given up. Changes the catalogue alone.
ALTER TABLE "message_moves" ADD COLUMN "failures" INTEGER NOT NULL DEFAULT 0;
