-- Whom a mention names.
CREATE INDEX "users_realm_id_full_name_idx" ON "users"("realm_id", "full_name");
