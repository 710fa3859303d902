-- Uploads by the tus protocol, until they expire. The bytes are stored in parts, which are joined when all have arrived.
CREATE TABLE "resumable_uploads" (
    "id" TEXT NOT NULL,
    "owner_id" INTEGER NOT NULL,
    "metadata" TEXT NOT NULL,
    "file_name" TEXT NOT NULL,
    "content_type" TEXT NOT NULL,
    "size" INTEGER NOT NULL,
    "received" INTEGER NOT NULL DEFAULT 0,
    "path_id" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "resumable_uploads_pkey" PRIMARY KEY ("id")
);

CREATE INDEX "resumable_uploads_owner_id_idx" ON "resumable_uploads"("owner_id");

CREATE INDEX "resumable_uploads_created_at_idx" ON "resumable_uploads"("created_at");

ALTER TABLE "resumable_uploads" ADD CONSTRAINT "resumable_uploads_owner_id_fkey" FOREIGN KEY ("owner_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

CREATE TABLE "resumable_upload_parts" (
    "upload_id" TEXT NOT NULL,
    "start_at" INTEGER NOT NULL,
    "key" TEXT NOT NULL,

    CONSTRAINT "resumable_upload_parts_pkey" PRIMARY KEY ("upload_id", "start_at")
);

ALTER TABLE "resumable_upload_parts" ADD CONSTRAINT "resumable_upload_parts_upload_id_fkey" FOREIGN KEY ("upload_id") REFERENCES "resumable_uploads"("id") ON DELETE CASCADE ON UPDATE CASCADE;
