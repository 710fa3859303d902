-- By itself: locks of both tables in one transaction could meet those of a reader in the other order.
ANALYZE "message_texts";
ALTER TABLE "message_texts" ALTER COLUMN "rendered_content" DROP DEFAULT, ALTER COLUMN "rendered_version" DROP DEFAULT;
