-- The kinds of messages to delete of a deactivated account. Rows from before stand for all kinds.
ALTER TABLE "doomed_senders"
  ADD COLUMN "public_channels" BOOLEAN NOT NULL DEFAULT true,
  ADD COLUMN "private_channels" BOOLEAN NOT NULL DEFAULT true,
  ADD COLUMN "direct" BOOLEAN NOT NULL DEFAULT true;
ALTER TABLE "doomed_senders"
  ALTER COLUMN "public_channels" DROP DEFAULT,
  ALTER COLUMN "private_channels" DROP DEFAULT,
  ALTER COLUMN "direct" DROP DEFAULT;
