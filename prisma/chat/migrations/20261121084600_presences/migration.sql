-- When somebody was last at a client, and when a client of theirs was last there. `update_id` orders the changes of a
-- realm: clients ask for those after the last that they know.
CREATE SEQUENCE "presence_update_ids";

CREATE TABLE "presences" (
    "user_id" INTEGER NOT NULL,
    "realm_id" INTEGER NOT NULL,
    "last_active_at" TIMESTAMPTZ(3),
    "last_connected_at" TIMESTAMPTZ(3) NOT NULL,
    "update_id" BIGINT NOT NULL,

    CONSTRAINT "presences_pkey" PRIMARY KEY ("user_id")
);

CREATE INDEX "presences_realm_id_update_id_idx" ON "presences"("realm_id", "update_id");

ALTER TABLE "presences" ADD CONSTRAINT "presences_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "presences" ADD CONSTRAINT "presences_realm_id_fkey" FOREIGN KEY ("realm_id") REFERENCES "realms"("id") ON DELETE CASCADE ON UPDATE CASCADE;
