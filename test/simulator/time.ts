/** Virtual time: only timers advance it, the earliest first, ties in creation order. */

interface Timer {
  readonly at: number;
  readonly order: number;
  readonly fire: () => void;
}

export const EPOCH = Date.UTC(2030, 0, 1);

export class VirtualTime {
  now = 0;
  fired = 0;
  private order = 0;
  private readonly heap: Timer[] = [];

  at(delayMs: number, fire: () => void): void {
    const { heap } = this;
    const timer = { at: this.now + Math.max(0, delayMs), order: this.order++, fire };
    let low = 0;
    let high = heap.length;
    // Sorted latest first: the next one is popped.
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = heap[middle];
      if (other !== undefined && other.at > timer.at) low = middle + 1;
      else high = middle;
    }
    heap.splice(low, 0, timer);
  }

  wait(delayMs: number): Promise<void> {
    return new Promise((resolve) => this.at(delayMs, resolve));
  }

  /** Runs until `done` returns true or the time is over. Returns `false` if it ended without `done`. */
  async run(untilMs: number, done: () => boolean): Promise<boolean> {
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve));
      if (done()) return true;
      const timer = this.heap.at(-1);
      if (timer === undefined || timer.at > untilMs) {
        this.now = Math.max(this.now, untilMs);
        return false;
      }
      this.heap.pop();
      this.now = Math.max(this.now, timer.at);
      this.fired += 1;
      timer.fire();
    }
  }
}
