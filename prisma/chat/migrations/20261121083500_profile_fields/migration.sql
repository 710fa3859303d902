-- What an organization asks people to say of themselves, and what they say.
CREATE TABLE "profile_fields" (
    "id" SERIAL NOT NULL,
    "realm_id" INTEGER NOT NULL,
    "field_type" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "name_key" TEXT NOT NULL,
    "hint" TEXT NOT NULL DEFAULT '',
    "field_data" TEXT NOT NULL DEFAULT '',
    "position" INTEGER NOT NULL,
    "display_in_profile_summary" BOOLEAN NOT NULL DEFAULT false,
    "required" BOOLEAN NOT NULL DEFAULT false,
    "editable_by_user" BOOLEAN NOT NULL DEFAULT true,
    "use_for_user_matching" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "profile_fields_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "profile_fields_type_check" CHECK ("field_type" BETWEEN 1 AND 8)
);

CREATE TABLE "profile_values" (
    "user_id" INTEGER NOT NULL,
    "field_id" INTEGER NOT NULL,
    "value" TEXT NOT NULL,
    "rendered_value" TEXT,

    CONSTRAINT "profile_values_pkey" PRIMARY KEY ("user_id","field_id")
);

CREATE UNIQUE INDEX "profile_fields_realm_id_name_key_key" ON "profile_fields"("realm_id", "name_key");
CREATE INDEX "profile_values_field_id_idx" ON "profile_values"("field_id");

ALTER TABLE "profile_fields" ADD CONSTRAINT "profile_fields_realm_id_fkey" FOREIGN KEY ("realm_id") REFERENCES "realms"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "profile_values" ADD CONSTRAINT "profile_values_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "profile_values" ADD CONSTRAINT "profile_values_field_id_fkey" FOREIGN KEY ("field_id") REFERENCES "profile_fields"("id") ON DELETE CASCADE ON UPDATE CASCADE;
