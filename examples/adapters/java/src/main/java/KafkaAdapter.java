import java.io.*;
import java.nio.*;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.*;
import java.util.concurrent.*;
import org.apache.kafka.clients.admin.*;
import org.apache.kafka.clients.consumer.*;
import org.apache.kafka.clients.producer.*;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.*;

/** Kafka through its official client: exec:'java -cp target/classes:target/lib/* KafkaAdapter 127.0.0.1:9092 acks=1'. */
public class KafkaAdapter {
    static final int HELLO = 1, SETUP = 2, SEND = 3, TEARDOWN = 4, REPLY = 5, ACKED = 6, FAILED = 7, FAILURE = 9, STAMP = 16;
    static final OutputStream out = new FileOutputStream(FileDescriptor.out);
    static final Map<String, Object> settings = new TreeMap<>();
    static final Map<Integer, Connection> connections = new ConcurrentHashMap<>();
    static String run;
    static boolean echo; // brokerbench asked for the floor: without Kafka

    static void write(int type, int connection, byte[]... parts) {
        int size = 0;
        for (byte[] part : parts) size += part.length;
        ByteBuffer frame = ByteBuffer.allocate(12 + size).order(ByteOrder.LITTLE_ENDIAN);
        frame.putInt(size).putInt(type).putInt(connection);
        for (byte[] part : parts) frame.put(part);
        try {
            synchronized (out) { out.write(frame.array()); }
        } catch (IOException e) {
            Runtime.getRuntime().halt(1); // brokerbench is gone
        }
    }

    static Admin admin;

    static synchronized Admin admin() { return admin == null ? admin = Admin.create(settings) : admin; }

    static byte[] bytes(String text) { return text.getBytes(StandardCharsets.UTF_8); }

    /** A topic of one partition, a producer, and a consumer that is assigned to it. */
    static class Connection extends Thread {
        final int number;
        final String topic;
        final KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
        volatile boolean over;

        Connection(int number) throws Exception {
            this.number = number;
            topic = "brokerbench." + run + "." + number;
            admin().createTopics(List.of(new NewTopic(topic, 1, (short) 1))).all().get();
        }

        @Override public void run() {
            try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
                TopicPartition partition = new TopicPartition(topic, 0);
                consumer.assign(List.of(partition));
                consumer.seekToBeginning(List.of(partition));
                consumer.position(partition);
                write(SETUP, number);
                while (!over)
                    for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(100))) write(REPLY, number, record.value());
            } catch (Exception e) {
                write(FAILURE, number, bytes(e.toString()));
            }
        }

        void send(byte[] message) {
            byte[] head = Arrays.copyOf(message, Math.min(message.length, STAMP));
            producer.send(new ProducerRecord<>(topic, message), (metadata, cause) -> {
                if (cause == null && metadata.hasOffset()) write(ACKED, number, head);
                else if (cause != null) write(FAILED, number, head, bytes(cause.toString()));
            });
        }

        void end() throws Exception {
            over = true;
            join();
            producer.close(Duration.ofSeconds(2));
            admin().deleteTopics(List.of(topic)).all().get();
        }
    }

    /** Answers setup and teardown in another thread: both wait for the broker. */
    static void answer(int type, int number) {
        try {
            if (type == SETUP) {
                connections.put(number, new Connection(number));
                connections.get(number).start();
                return;
            }
            Connection connection = connections.remove(number);
            if (connection != null) connection.end();
            write(TEARDOWN, number);
        } catch (Exception e) {
            write(FAILURE, number, bytes(String.valueOf(e.getCause() == null ? e : e.getCause())));
        }
    }

    public static void main(String[] args) throws Exception {
        settings.putAll(Map.of("bootstrap.servers", args[0], "max.request.size", "8388608", "allow.auto.create.topics", "false"));
        StringBuilder hello = new StringBuilder("protocol=1\nproduct=Kafka\nclient=org.apache.kafka:kafka-clients:"
            + org.apache.kafka.common.utils.AppInfoParser.getVersion() + "\necho=true\n");
        for (String setting : Arrays.copyOfRange(args, 1, args.length)) {
            settings.put(setting.substring(0, setting.indexOf('=')), setting.substring(setting.indexOf('=') + 1));
            hello.append("setting.").append(setting).append('\n');
        }
        hello.append("acknowledges=").append(!"0".equals(settings.get("acks"))).append('\n');
        DataInputStream in = new DataInputStream(new BufferedInputStream(new FileInputStream(FileDescriptor.in), 1 << 16));
        ExecutorService slow = Executors.newCachedThreadPool();
        byte[] head = new byte[12];
        while (in.readNBytes(head, 0, 12) == 12) {
            ByteBuffer frame = ByteBuffer.wrap(head).order(ByteOrder.LITTLE_ENDIAN);
            byte[] body = in.readNBytes(frame.getInt());
            int type = frame.getInt(), number = frame.getInt();
            if (type == HELLO) {
                List<String> told = new String(body, StandardCharsets.UTF_8).lines().toList();
                told.stream().filter(l -> l.startsWith("run=")).forEach(l -> run = l.substring(4));
                echo = told.contains("echo=true");
                write(HELLO, 0, bytes(hello.toString()));
            } else if (echo) write(type == SEND ? REPLY : type, number, body);
            else if (type == SEND) connections.get(number).send(body);
            else slow.execute(() -> answer(type, number));
        }
        for (int number : List.copyOf(connections.keySet())) answer(TEARDOWN, number);
        System.exit(0);
    }
}
