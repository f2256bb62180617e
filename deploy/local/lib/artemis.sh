# shellcheck shell=bash
# Apache ActiveMQ Artemis, a broker of AMQP 1.0: its distribution from Maven Central, which stays in the
# cache. It makes a queue when a client attaches, and removes it once it is empty and without consumers.

artemis_units() { echo artemis; }
artemis_shared() { :; }
artemis_ports() { echo plain front tls; }

artemis_release=2.40.0
artemis_home=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/brokerbench/artemis-$artemis_release

artemis_install() { need_unpacked "$artemis_home" "org.apache.activemq:apache-artemis:$artemis_release:zip:bin"; }

# artemis_sync tells whether the journal is synced before a message is accepted.
artemis_sync() { if [[ $durability == machine ]]; then echo true; else echo false; fi; }

# The analyzer would end a broker that was paused.
artemis_configure() {
  local journal=${data:-$dir/data} tls="sslEnabled=true;keyStoreType=PEM;keyStorePath=${state// /%20}/tls/server.all"
  mkdir -p "$dir/tmp"
  cat >"$dir/broker.xml" <<EOF
<configuration xmlns="urn:activemq">
  <core xmlns="urn:activemq:core">
    <name>brokerbench</name>
    <journal-type>NIO</journal-type>
    <journal-datasync>$(artemis_sync)</journal-datasync>
    <bindings-directory>$journal/bindings</bindings-directory>
    <journal-directory>$journal/journal</journal-directory>
    <large-messages-directory>$journal/large</large-messages-directory>
    <paging-directory>$journal/paging</paging-directory>
    <max-disk-usage>98</max-disk-usage>
    <critical-analyzer>false</critical-analyzer>
    <acceptors>
      <acceptor name="plain">tcp://$(address plain)?protocols=AMQP</acceptor>
      <acceptor name="tls">tcp://$(address tls)?protocols=AMQP;$tls</acceptor>
    </acceptors>
    <security-settings>
      <security-setting match="#">
$(printf '        <permission type="%s" roles="all"/>\n' send consume browse {create,delete}{Address,DurableQueue,NonDurableQueue})
      </security-setting>
    </security-settings>
  </core>
</configuration>
EOF
  cat >"$dir/bootstrap.xml" <<EOF
<broker xmlns="http://activemq.apache.org/schema">
  <jaas-security domain="activemq"/>
  <server configuration="file:${dir// /%20}/broker.xml"/>
</broker>
EOF
  echo '<management-context xmlns="http://activemq.apache.org/schema"/>' >"$dir/management.xml"
  cat >"$dir/login.config" <<EOF
activemq {
  org.apache.activemq.artemis.spi.core.security.jaas.PropertiesLoginModule required
    org.apache.activemq.jaas.properties.user="users.properties"
    org.apache.activemq.jaas.properties.role="roles.properties";
};
EOF
  printf '%s\n' guest=guest "$tls_user=$tls_password" >"$dir/users.properties"
  echo "all=guest,$tls_user" >"$dir/roles.properties"
}

artemis_launch() {
  alive artemis || spawn artemis java -Xmx512m -cp "$artemis_home/lib/*" -Djava.io.tmpdir="$dir/tmp" \
    -Djava.security.auth.login.config="$dir/login.config" -Dartemis.home="$artemis_home" -Dartemis.instance="$dir" \
    -Dartemis.instance.etc="$dir" -Ddata.dir="${data:-$dir/data}" org.apache.activemq.artemis.cli.Artemis run "xml:${dir// /%20}/bootstrap.xml"
}

artemis_answers() { amqp1_answers; }

artemis_url() { echo "amqp1://guest:guest@$1"; }
artemis_options() { echo '?address={name}'; }
artemis_tls_url() { echo "amqp1s://$tls_login@$1?$tls_option&address={name}"; }
artemis_other_urls() { :; }
artemis_version() { echo "$artemis_release"; }
