# shellcheck shell=bash
# PostgreSQL: this Debian's package. TLS, with a password, has the same port. It refuses to run as root: then it
# runs as the package's user, with the right to reach the state folder, which is root's. It has one node here.

postgres_units() { echo postgres; }
postgres_shared() { :; }
postgres_ports() { echo plain front; }

# postgres_program NAME prints where a program is: Debian has them in no folder of PATH.
postgres_program() { printf '%s\n' /usr/lib/postgresql/*/bin/"$1" | sort -V | tail -n 1; }
postgres_install() { [[ -x $(postgres_program initdb) ]] || need pg_lsclusters postgresql; }
postgres_data() { echo "${data:-$dir/postgres}"; }

# postgres_user prints what comes before a command that is not to be root's.
postgres_user() {
  ((EUID != 0)) || echo setpriv --reuid=postgres --regid=postgres --clear-groups --inh-caps=+dac_override --ambient-caps=+dac_override
}

postgres_configure() {
  local folder user=()
  folder=$(postgres_data)
  [[ ! -e $folder/server.key ]] || return 0
  read -ra user < <(postgres_user)
  mkdir -p "$folder" && { ((EUID != 0)) || chown postgres "$folder"; } && postgres_init >"$dir/initdb.log" 2>&1
}

# postgres_init makes the database and the user of the URL with TLS, in a folder that both users can be in.
postgres_init() {
  (
    cd / && "${user[@]}" "$(postgres_program initdb)" -D "$folder" -U postgres -A trust -E UTF8 --locale=C -N &&
      "${user[@]}" "$(postgres_program postgres)" --single -D "$folder" postgres < <(
        echo "CREATE ROLE $tls_user LOGIN PASSWORD '$tls_password'"
        echo "GRANT CREATE ON SCHEMA public TO $tls_user"
      ) &&
      printf '%s\n' 'hostnossl all postgres samenet trust' 'host all all samenet scram-sha-256' >"$folder/pg_hba.conf" &&
      "${user[@]}" install -m 600 "$state/tls/server.key" "$folder/server.key"
  )
}

# postgres_store prints the settings of the durability: that of machine is PostgreSQL's default.
postgres_store() {
  case $durability in
  machine) ;;
  process) echo "-c fsync=off" ;;
  *) echo "-c fsync=off -c synchronous_commit=off" ;;
  esac
}

postgres_launch() {
  local user=() store=()
  read -ra user < <(postgres_user)
  read -ra store < <(postgres_store)
  alive postgres || rm -f "$(postgres_data)/postmaster.pid" # of one that was killed
  alive postgres || spawn postgres "${user[@]}" "$(postgres_program postgres)" -D "$(postgres_data)" -p "$(port plain)" \
    -c listen_addresses="$(host plain)" -c unix_socket_directories= -c max_connections=500 -c log_min_messages=log \
    -c ssl=on -c ssl_cert_file="$state/tls/server.pem" "${store[@]}"
}

# The start of a session is answered with R: accepted.
postgres_answers() {
  [[ $(talk "$(port plain)" 1 '\x00\x00\x00\x29\x00\x03\x00\x00user\x00postgres\x00database\x00postgres\x00\x00') == 52 ]]
}

postgres_url() { echo "postgres://postgres@$1/postgres"; }
postgres_tls_url() { alone || echo "postgres+tls://$tls_login@$(addresses plain)/postgres?$tls_option"; }
postgres_other_urls() { :; }
postgres_version() { "$(postgres_program postgres)" --version | sed 's/^[^0-9]*\([0-9.]*\).*/\1/'; }
