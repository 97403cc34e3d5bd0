#!/bin/bash
# Run once, when the database's volume is empty. The superuser makes role, database and extension; the
# application's role is neither superuser nor BYPASSRLS, or its system check would fail.
set -euo pipefail

as_superuser() {
    psql --no-psqlrc --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" "$@"
}

as_superuser --dbname postgres --set password="$ARF_DB_PASSWORD" <<'SQL'
CREATE ROLE arf LOGIN CREATEDB NOSUPERUSER NOBYPASSRLS NOCREATEROLE PASSWORD :'password';
CREATE DATABASE arf OWNER arf;
SQL

for database in template1 arf; do
    as_superuser --dbname "$database" --command "CREATE EXTENSION IF NOT EXISTS vector"
done
