// A zip archive of files, deflated, as a user's packer writes one; isStored(k) leaves the k-th as it is.
import zlib from 'node:zlib';

export function zip(files, { checksum = checksumOf, isStored = () => false } = {}) {
    const parts = [];
    const directory = [];
    let at = 0;
    for (const [k, [name, content]] of Object.entries(files).entries()) {
        const bytes = Buffer.from(content);
        const packed = isStored(k) ? bytes : zlib.deflateRawSync(bytes);
        const label = Buffer.from(name);
        const shared = Buffer.alloc(26);
        shared.writeUInt16LE(20, 0);
        shared.writeUInt16LE(isStored(k) ? 0 : 8, 4);
        shared.writeUInt32LE(checksum(bytes), 10);
        shared.writeUInt32LE(packed.length, 14);
        shared.writeUInt32LE(bytes.length, 18);
        shared.writeUInt16LE(label.length, 22);
        const local = Buffer.concat([Buffer.from('PK\x03\x04'), shared, label, packed]);
        const tail = Buffer.alloc(14);
        tail.writeUInt32LE(at, 10);
        directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\0'), shared, tail, label]));
        parts.push(local);
        at += local.length;
    }
    const size = directory.reduce((sum, entry) => sum + entry.length, 0);
    const end = Buffer.alloc(22);
    end.write('PK\x05\x06', 0, 'latin1');
    end.writeUInt16LE(directory.length, 8);
    end.writeUInt16LE(directory.length, 10);
    end.writeUInt32LE(size, 12);
    end.writeUInt32LE(at, 16);
    return Buffer.concat([...parts, ...directory, end]);
}

// zlib.crc32 came with node 22; the page does not look at it.
function checksumOf(bytes) {
    return zlib.crc32 ? zlib.crc32(bytes) : 0;
}
