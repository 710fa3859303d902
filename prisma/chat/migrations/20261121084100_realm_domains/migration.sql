-- Domains whose addresses may join, where a realm is restricted to them.
CREATE TABLE "realm_domains" (
    "id" SERIAL NOT NULL,
    "realm_id" INTEGER NOT NULL,
    "domain" TEXT NOT NULL,
    "allow_subdomains" BOOLEAN NOT NULL,

    CONSTRAINT "realm_domains_pkey" PRIMARY KEY ("id")
);

CREATE UNIQUE INDEX "realm_domains_realm_id_domain_key" ON "realm_domains"("realm_id", "domain");

ALTER TABLE "realm_domains" ADD CONSTRAINT "realm_domains_realm_id_fkey" FOREIGN KEY ("realm_id") REFERENCES "realms"("id") ON DELETE CASCADE ON UPDATE CASCADE;
