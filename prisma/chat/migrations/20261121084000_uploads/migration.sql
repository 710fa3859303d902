-- Files that people uploaded; `path_id` is what follows /user_uploads/ in their addresses.
CREATE TABLE "attachments" (
    "id" SERIAL NOT NULL,
    "realm_id" INTEGER NOT NULL,
    "owner_id" INTEGER NOT NULL,
    "path_id" TEXT NOT NULL,
    "file_name" TEXT NOT NULL,
    "size" INTEGER NOT NULL,
    "content_type" TEXT NOT NULL,
    "image_width" INTEGER,
    "image_height" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "attachments_pkey" PRIMARY KEY ("id")
);

CREATE UNIQUE INDEX "attachments_path_id_key" ON "attachments"("path_id");
CREATE INDEX "attachments_owner_id_id_idx" ON "attachments"("owner_id", "id");

ALTER TABLE "attachments" ADD CONSTRAINT "attachments_realm_id_fkey" FOREIGN KEY ("realm_id") REFERENCES "realms"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "attachments" ADD CONSTRAINT "attachments_owner_id_fkey" FOREIGN KEY ("owner_id") REFERENCES "users"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- Which messages link a file: whoever may read one of them may read the file.
CREATE TABLE "attachment_messages" (
    "attachment_id" INTEGER NOT NULL,
    "message_id" BIGINT NOT NULL,

    CONSTRAINT "attachment_messages_pkey" PRIMARY KEY ("attachment_id", "message_id")
);

CREATE INDEX "attachment_messages_message_id_idx" ON "attachment_messages"("message_id");

ALTER TABLE "attachment_messages" ADD CONSTRAINT "attachment_messages_attachment_id_fkey" FOREIGN KEY ("attachment_id") REFERENCES "attachments"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "attachment_messages" ADD CONSTRAINT "attachment_messages_message_id_fkey" FOREIGN KEY ("message_id") REFERENCES "messages"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- How much space the files of a realm take: its row lets one upload at a time be counted against the quota.
CREATE TABLE "upload_totals" (
    "realm_id" INTEGER NOT NULL,
    "bytes" BIGINT NOT NULL,

    CONSTRAINT "upload_totals_pkey" PRIMARY KEY ("realm_id")
);

ALTER TABLE "upload_totals" ADD CONSTRAINT "upload_totals_realm_id_fkey" FOREIGN KEY ("realm_id") REFERENCES "realms"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Files in the storage that nothing refers to, or not yet. `swept_at`: since when they are being removed.
CREATE TABLE "doomed_files" (
    "key" TEXT NOT NULL,
    "doomed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "swept_at" TIMESTAMPTZ(3),

    CONSTRAINT "doomed_files_pkey" PRIMARY KEY ("key")
);

CREATE INDEX "doomed_files_doomed_at_idx" ON "doomed_files"("doomed_at");
