-- Folders that a realm sorts its channels into. Archived ones keep their name and their place.
CREATE TABLE "channel_folders" (
    "id" SERIAL NOT NULL,
    "realm_id" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "name_key" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "rendered_description" TEXT NOT NULL DEFAULT '',
    "position" INTEGER NOT NULL,
    "creator_id" INTEGER,
    "date_created" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "is_archived" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "channel_folders_pkey" PRIMARY KEY ("id")
);

ALTER TABLE "channels" ADD COLUMN "folder_id" INTEGER;

CREATE UNIQUE INDEX "channel_folders_realm_id_name_key_key" ON "channel_folders"("realm_id", "name_key");
CREATE INDEX "channels_folder_id_idx" ON "channels"("folder_id");

ALTER TABLE "channel_folders" ADD CONSTRAINT "channel_folders_realm_id_fkey" FOREIGN KEY ("realm_id") REFERENCES "realms"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "channel_folders" ADD CONSTRAINT "channel_folders_creator_id_fkey" FOREIGN KEY ("creator_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;
ALTER TABLE "channels" ADD CONSTRAINT "channels_folder_id_fkey" FOREIGN KEY ("folder_id") REFERENCES "channel_folders"("id") ON DELETE SET NULL ON UPDATE CASCADE;
