# Creates a database and its owner for each service. PostgreSQL's image runs this once, on an empty volume.
# Neither role is a superuser, and neither can connect to the other's database.
psql -v ON_ERROR_STOP=1 --no-psqlrc --username "${POSTGRES_USER:-postgres}" --dbname postgres <<'SQL'
\getenv chat_password CHAT_DATABASE_PASSWORD
\getenv inventory_password INVENTORY_DATABASE_PASSWORD
CREATE ROLE chat LOGIN PASSWORD :'chat_password';
CREATE ROLE inventory LOGIN PASSWORD :'inventory_password';
CREATE DATABASE chat OWNER chat;
CREATE DATABASE inventory OWNER inventory;
REVOKE CONNECT, TEMPORARY ON DATABASE chat, inventory, postgres FROM PUBLIC;
SQL
