CREATE TABLE "default_channel_groups" (
    "id" SERIAL NOT NULL,
    "realm_id" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT NOT NULL,

    CONSTRAINT "default_channel_groups_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "default_channel_groups_realm_id_fkey" FOREIGN KEY ("realm_id") REFERENCES "realms"("id") ON DELETE CASCADE ON UPDATE CASCADE
);

CREATE UNIQUE INDEX "default_channel_groups_realm_id_name_key" ON "default_channel_groups"("realm_id", "name");

CREATE TABLE "default_channel_group_channels" (
    "group_id" INTEGER NOT NULL,
    "channel_id" INTEGER NOT NULL,

    CONSTRAINT "default_channel_group_channels_pkey" PRIMARY KEY ("group_id", "channel_id"),
    CONSTRAINT "default_channel_group_channels_group_id_fkey" FOREIGN KEY ("group_id") REFERENCES "default_channel_groups"("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "default_channel_group_channels_channel_id_fkey" FOREIGN KEY ("channel_id") REFERENCES "channels"("id") ON DELETE CASCADE ON UPDATE CASCADE
);

CREATE INDEX "default_channel_group_channels_channel_id_idx" ON "default_channel_group_channels"("channel_id");
