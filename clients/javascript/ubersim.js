// A client of the ÜberSim server for programs in a browser: one file, no dependencies. docs/protocol.md has the bytes.
//
//     import { connect } from "./ubersim.js";
//
//     const robot = await connect("ws://127.0.0.1:9041", await (await fetch("robots/segway.xml")).text());
//     for await (const frame of robot)             // a frame is acknowledged when the next one is asked for
//         if (frame.has("Tilt")) robot.set("LMotor", "Vel", 12.0 * frame.get("Tilt"));
//     console.log(robot.end);
//
// The server needs a gateway for browsers: ubersim serve --web-port 9041.

const JOINT = {
    LoStop: 0, HiStop: 1, Vel: 2, FMax: 3, FudgeFactor: 4, Bounce: 5, CFM: 6, StopERP: 7, StopCFM: 8,
    SuspensionERP: 9, SuspensionCFM: 10,
};
const SENSOR = { Frequency: 0, Latency: 1, Noise: 2, Fov: 16, Brightness: 17, Level: 18 };
const SOLID = { Red: 24, Green: 25, Blue: 26 };
const ARRAYS = {
    f4: Float32Array, f8: Float64Array, u1: Uint8Array, u2: Uint16Array, u4: Uint32Array,
    i1: Int8Array, i2: Int16Array, i4: Int32Array,
};
const LEVELS = ["debug", "info", "warning", "error", "fatal"];
const MORE = 128; // of a kind: the next message has the next part
const LONGEST = 65536; // of a message that a client sends
const PIECE = 1 << 17; // of what goes into one WebSocket message
const encoder = new TextEncoder(), decoder = new TextDecoder();

/** Brings a robot to a server and waits until it is in the world; refused robots are an Error with the reason.
 *
 * `settings` replace what the document's CSettings say, as in { Name: "Other", Protocol: 2 }. */
export async function connect(url, document, settings = {}) {
    const socket = new WebSocket(url);
    socket.binaryType = "arraybuffer";
    const stream = new Stream(socket);
    await stream.opened;
    stream.send(joined([encoder.encode(withSettings(document, settings)), new Uint8Array(1)]));
    const first = await stream.message();
    if (first === null) throw new Error("the server closed the connection without a word");
    if (first.name === "Error") throw new Error(decoder.decode(first.payload));
    if (first.name !== "Welcome") throw new Error(`${first.name} came where the Welcome is due`);
    return new Robot(stream, JSON.parse(decoder.decode(first.payload)));
}

/** One frame: its time [s], and the readings that were delivered in it. */
export class Frame {
    constructor(time, readings) {
        this.time = time;
        this.readings = readings;
    }
    has(sensor) { return this.readings.has(sensor); }
    /** The newest reading of a sensor in this frame: a number, or a typed array as the welcome announced it. */
    get(sensor) { return this.readings.get(sensor); }
}

/** The program's side of a robot in the world. */
export class Robot {
    constructor(stream, welcome) {
        this.settings = welcome;
        this.name = welcome.name;
        this.step = welcome.step;
        this.latest = new Map();
        this.parameters = new Map();
        /** Why no more frames come, of servers and robots of version 2: reason, frame, text. */
        this.end = null;
        this._stream = stream;
        this._outgoing = [];
        this._open = null;
        this._listened = null;
    }

    async *[Symbol.asyncIterator]() {
        for (let frame; (frame = await this.nextFrame()) !== null;) yield frame;
    }

    /** Acknowledges the last frame with all commands since, and waits for the next; null when the server has ended. */
    async nextFrame() {
        if (this._open !== null) this._message("Ack", this._open);
        this._open = null;
        const readings = new Map();
        let time = null;
        for (;;) {
            // Answers to frames that have come together go together: nothing is sent while a message is left to read.
            if (!this._stream.ready) this._flush();
            const { name, payload } = (await this._stream.message()) ?? { name: null };
            if (name === null) return null;
            if (name === "Error") throw new Error(decoder.decode(payload));
            if (time === null) {
                if (name === "End") {
                    this.end = JSON.parse(decoder.decode(payload));
                    return null;
                }
                if (name !== "Timestamp") throw new Error(`${name} came where a Timestamp is due`);
                this._open = payload;
                time = number(payload);
            } else if (name === "FrameEnd") {
                return new Frame(time, readings);
            } else if (name === "Parameter" && this.settings.protocol >= 2) {
                this._changed(payload);
            } else {
                const value = reading(this.settings.sensors[name], payload);
                readings.set(name, value);
                this.latest.set(name, value);
            }
        }
    }

    /** Sets a property of a component, by name or number, as in set("LMotor", "Vel", 3.0). */
    set(component, property, value) {
        const payload = new DataView(new ArrayBuffer(8));
        if (!Number.isFinite(value)) throw new Error(`${property} of ${component} is not finite: ${value}`);
        payload.setUint32(0, this._number(component, property), true);
        payload.setFloat32(4, value, true);
        this._message(component, new Uint8Array(payload.buffer));
    }

    /** The commands after this count as sent at that time [s], which models computing time. */
    stamp(time) { this._message("Timestamp", bytesOf(time)); }

    /** Declares a parameter of the program; `parameter.value` is what it is in this frame. Version 2. */
    parameter(name, value, { low, high, choices } = {}) {
        const kind = typeof value === "boolean" ? "bool" : choices ? "choice" : typeof value === "string" ? "text" : "number";
        const declared = { name, kind, value };
        this._message("Declare", encoder.encode(JSON.stringify({ ...declared, low, high, choices })));
        this.parameters.set(name, declared);
        return declared;
    }

    /** Sends a component a payload of its own, a Uint8Array, whose meaning its type defines. */
    send(component, payload) { this._message(component, payload); }

    /** Takes back commands for a component ("": for all) that would be executed at that time [s] or later. Version 2. */
    cancel(component = "", time = 0) {
        this._message("Cancel", joined([encoder.encode(component), new Uint8Array(1), bytesOf(time)]));
    }

    /** Says what the program thinks; nothing is sent where nothing listens. Version 2.
     *
     * A number or a boolean; a text with its level; an array of numbers; an array of triples, which are points; a
     * Uint8Array with a PNG or JPEG file; an object with lines, points, text, at, color, width, which is a drawing.
     * `space`: the world if empty, or the body that carries points and drawings, or the camera in whose pixels they are. */
    log(name, value, level = "info", space = "") {
        this._listened ??= this.parameter("Log", true);
        if (!this._listened.value) return;
        const [kind, payload] = entry(value, level, space), head = joined([encoder.encode(name), new Uint8Array(1)]);
        const most = LONGEST - head.length - 5; // "Log", NUL and the kind
        for (let at = 0; at === 0 || at < payload.length; at += most) {
            const more = at + most < payload.length ? MORE : 0;
            this._message("Log", joined([head, new Uint8Array([kind + more]), payload.subarray(at, at + most)]));
        }
    }

    /** Leaves the world. */
    close() {
        this._flush();
        this._stream.close();
    }

    _number(component, property) {
        if (typeof property === "number") return property;
        const { sensors = {}, joints = {}, motors = {} } = this.settings;
        if (component === "Client") return 0;
        if (motors[component]) return known(motors[component].properties, component, property);
        if (joints[component]) {
            const axis = /[23]$/.exec(property);
            return known(JOINT, component, axis ? property.slice(0, -1) : property) + (axis ? 0x100 * (axis[0] - 1) : 0);
        }
        return known(sensors[component] ? SENSOR : SOLID, component, property);
    }

    _changed(payload) {
        const end = payload.indexOf(0, 8);
        const parameter = this.parameters.get(decoder.decode(payload.subarray(8, end)));
        if (parameter) parameter.value = JSON.parse(decoder.decode(payload.subarray(end + 1)));
    }

    _message(name, payload) {
        const head = encoder.encode(name), size = head.length + 1 + payload.length;
        if (size > LONGEST) throw new Error(`a message of ${size} bytes is too long; ${LONGEST} are allowed`);
        const length = new DataView(new ArrayBuffer(4));
        length.setUint32(0, size, true);
        this._outgoing.push(new Uint8Array(length.buffer), head, new Uint8Array(1), payload);
    }

    _flush() {
        if (this._outgoing.length) this._stream.send(joined(this._outgoing));
        this._outgoing = [];
    }
}

/** Messages from the pieces that a socket brings, however they were cut. */
class Stream {
    constructor(socket) {
        this._socket = socket;
        this._bytes = new Uint8Array(0);
        this._closed = false;
        this._wake = () => {};
        this.opened = new Promise((opened, failed) => {
            socket.onopen = opened;
            socket.onerror = () => failed(new Error(`there is no gateway for browsers at ${socket.url}`));
        });
        socket.onmessage = (event) => {
            this._bytes = joined([this._bytes, new Uint8Array(event.data)]);
            this._wake();
        };
        socket.onclose = () => {
            this._closed = true;
            this._wake();
        };
    }

    get _length() { return this._bytes.length < 4 ? null : new DataView(this._bytes.buffer).getUint32(0, true); }

    /** Whether a whole message is here. */
    get ready() { return this._length !== null && this._bytes.length >= 4 + this._length; }

    /** The next message; null when no more come. */
    async message() {
        while (!this.ready) {
            if (this._closed) return null;
            await new Promise((wake) => (this._wake = wake));
        }
        const end = 4 + this._length, body = this._bytes.slice(4, end), nul = body.indexOf(0);
        this._bytes = this._bytes.slice(end);
        if (nul < 1) throw new Error("a message without a name");
        return { name: decoder.decode(body.subarray(0, nul)), payload: body.subarray(nul + 1) };
    }

    /** In pieces: the gateway for browsers takes 256 KiB at a time. */
    send(bytes) {
        for (let at = 0; at < bytes.length && !this._closed; at += PIECE) this._socket.send(bytes.subarray(at, at + PIECE));
    }
    close() { this._socket.close(); }
}

function withSettings(text, settings) {
    if (Object.keys(settings).length === 0) return text;
    const xml = new DOMParser().parseFromString(text, "text/xml"), place = xml.querySelector("CSettings");
    if (place === null) throw new Error("the robot document has no CSettings");
    for (const [tag, value] of Object.entries(settings)) {
        for (const old of [...place.children].filter((child) => child.tagName === tag)) old.remove();
        place.appendChild(xml.createElement(tag)).textContent = value;
    }
    return new XMLSerializer().serializeToString(xml);
}

function reading(about, payload) {
    let start = about.stamped ? 8 : 0, { dtype, shape } = about;
    if (about.levels) {
        ({ dtype, shape } = about.levels[String(payload[start])]);
        start += 4;
    }
    if (about.compression) return payload.slice(start);
    const values = new ARRAYS[dtype.slice(1)](payload.slice(start).buffer);
    return shape.length === 0 ? values[0] : values;
}

/** The kind of what is logged, and its bytes. */
function entry(value, level, space) {
    if (typeof value === "string") {
        if (!LEVELS.includes(level)) throw new Error(`the level ${level} is none of ${LEVELS.join(", ")}`);
        return [3, joined([new Uint8Array([LEVELS.indexOf(level)]), encoder.encode(value)])];
    }
    if (typeof value === "number" || typeof value === "boolean") return [1, bytesOf(Number(value))];
    if (value instanceof Uint8Array) return [4, value];
    if (value === null || typeof value !== "object") throw new Error(`${value} cannot be logged`);
    if (!Array.isArray(value) && !ArrayBuffer.isView(value)) return [6, encoder.encode(JSON.stringify({ ...value, space }))];
    if (!Array.isArray(value[0])) return [2, new Uint8Array(Float64Array.from(value).buffer)];
    const points = new Uint8Array(Float32Array.from(value.flat()).buffer);
    return [5, joined([encoder.encode(space), new Uint8Array(1), points])];
}

function known(table, component, property) {
    if (!(property in table)) throw new Error(`${component} has no property ${property}; it has ${Object.keys(table).join(", ")}`);
    return table[property];
}

function number(payload) { return new DataView(payload.buffer, payload.byteOffset).getFloat64(0, true); }

function bytesOf(value) { return new Uint8Array(new Float64Array([value]).buffer); }

function joined(parts) {
    const whole = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
    let place = 0;
    for (const part of parts) {
        whole.set(part, place);
        place += part.length;
    }
    return whole;
}
