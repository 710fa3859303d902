CREATE TABLE "realm_playgrounds" (
    "id" SERIAL NOT NULL,
    "realm_id" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "pygments_language" TEXT NOT NULL,
    "url_template" TEXT NOT NULL,

    CONSTRAINT "realm_playgrounds_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "realm_playgrounds_realm_id_fkey" FOREIGN KEY ("realm_id") REFERENCES "realms"("id") ON DELETE CASCADE ON UPDATE CASCADE
);

CREATE UNIQUE INDEX "realm_playgrounds_realm_id_pygments_language_name_key"
    ON "realm_playgrounds"("realm_id", "pygments_language", "name");
