// Balances the Segway from a browser, in lockstep: the law and the arithmetic of ubersim/control/balancer.py, so that
// Python, C and JavaScript send the same bits. The arrow keys lean it.
import { connect } from "./ubersim.js";

const KP = 200.0, KD = 40.0, TOP_SPEED = 14.9, PERIOD = 0.01;
const radians = (degrees) => degrees * (Math.PI / 180);
const BALANCE = radians(4.0), NUDGE = radians(0.5);

class Balancer {
    lean = 0.0;
    speed = 0.0;
    last = null;

    update(tilt) {
        const rate = this.last === null ? 0.0 : (tilt - this.last) / PERIOD;
        this.last = tilt;
        const acceleration = KP * (BALANCE + this.lean - tilt) - KD * rate;
        this.speed = Math.min(TOP_SPEED, Math.max(-TOP_SPEED, this.speed + acceleration * PERIOD));
        return this.speed;
    }
}

export async function balance(url, document_, show) {
    const robot = await connect(url, document_, { Protocol: 2 }), balancer = new Balancer();
    addEventListener("keydown", (event) => {
        if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
        event.preventDefault(); // else the page scrolls
        balancer.lean += event.key === "ArrowUp" ? -NUDGE : NUDGE;
    });
    let count = 0;
    for await (const frame of robot) {
        count++;
        if (frame.has("Tilt")) {
            const speed = balancer.update(frame.get("Tilt"));
            robot.set("LMotor", "Vel", speed);
            robot.set("RMotor", "Vel", speed);
            show(frame.time, frame.get("Tilt"), speed);
        }
    }
    return { frames: count, tilt: balancer.last, end: robot.end };
}
