-- Exports of an organization, requested by administrators. A row that has neither succeeded nor failed is work: a worker
-- leases it until `lease_until`, and every change of the work requires its `lease_token`.
CREATE TABLE "realm_exports" (
    "id" SERIAL NOT NULL,
    "realm_id" INTEGER NOT NULL,
    "acting_user_id" INTEGER NOT NULL,
    "export_type" INTEGER NOT NULL,
    "requested_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "succeeded_at" TIMESTAMPTZ(3),
    "failed_at" TIMESTAMPTZ(3),
    "deleted_at" TIMESTAMPTZ(3),
    "lease_token" UUID,
    "lease_until" TIMESTAMPTZ(3),
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "stage" INTEGER NOT NULL DEFAULT 0,
    "cursor" JSONB,
    "counts" JSONB NOT NULL DEFAULT '{}',
    "client_ids" INTEGER[] NOT NULL DEFAULT '{}',
    "consenting_user_ids" INTEGER[],
    "last_message_id" BIGINT,

    CONSTRAINT "realm_exports_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "realm_exports_export_type_check" CHECK ("export_type" IN (1, 2))
);

CREATE INDEX "realm_exports_realm_id_requested_at_idx" ON "realm_exports"("realm_id", "requested_at");

CREATE INDEX "realm_exports_acting_user_id_idx" ON "realm_exports"("acting_user_id");

-- Exports that are not finished.
CREATE INDEX "realm_exports_pending_idx" ON "realm_exports"("id") WHERE "succeeded_at" IS NULL AND "failed_at" IS NULL;

ALTER TABLE "realm_exports" ADD CONSTRAINT "realm_exports_realm_id_fkey" FOREIGN KEY ("realm_id") REFERENCES "realms"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "realm_exports" ADD CONSTRAINT "realm_exports_acting_user_id_fkey" FOREIGN KEY ("acting_user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Stored pieces of archives, in the order of `entry` and `piece`. A piece with a name is content of the file of the
-- archive with that name, others are complete entries. `message_ids`: the messages in a file of messages, ascending.
CREATE TABLE "realm_export_parts" (
    "export_id" INTEGER NOT NULL,
    "entry" INTEGER NOT NULL,
    "piece" INTEGER NOT NULL,
    "name" TEXT,
    "size" BIGINT NOT NULL,
    "key" TEXT NOT NULL,
    "message_ids" BIGINT[],
    "last_message_id" BIGINT,

    CONSTRAINT "realm_export_parts_pkey" PRIMARY KEY ("export_id", "entry", "piece")
);

CREATE INDEX "realm_export_parts_export_id_last_message_id_idx" ON "realm_export_parts"("export_id", "last_message_id");

ALTER TABLE "realm_export_parts" ADD CONSTRAINT "realm_export_parts_export_id_fkey" FOREIGN KEY ("export_id") REFERENCES "realm_exports"("id") ON DELETE CASCADE ON UPDATE CASCADE;
