-- Patterns that become links in messages and topics; the first in order that matches a text has it.
CREATE TABLE "realm_linkifiers" (
    "id" SERIAL NOT NULL,
    "realm_id" INTEGER NOT NULL,
    "pattern" TEXT NOT NULL,
    "url_template" TEXT NOT NULL,
    "example_input" TEXT,
    "reverse_template" TEXT,
    "alternative_url_templates" TEXT[],
    "position" INTEGER NOT NULL,

    CONSTRAINT "realm_linkifiers_pkey" PRIMARY KEY ("id")
);

CREATE UNIQUE INDEX "realm_linkifiers_realm_id_pattern_key" ON "realm_linkifiers"("realm_id", "pattern");

ALTER TABLE "realm_linkifiers" ADD CONSTRAINT "realm_linkifiers_realm_id_fkey" FOREIGN KEY ("realm_id") REFERENCES "realms"("id") ON DELETE CASCADE ON UPDATE CASCADE;
