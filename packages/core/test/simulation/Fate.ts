/**
 * What a seed decides (mulberry32): the same seed, asked the same questions in the same order, gives the
 * same answers.
 */
export class Fate {
  private state: number

  constructor(seed: number) {
    // Neighbouring seeds begin far apart, so that their first answers have nothing in common.
    this.state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) >>> 0
  }

  /** A fraction from 0 up to, but not including, 1. */
  fraction(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }

  /** A whole number from `least` to `most`, both included. */
  between(least: number, most: number): number {
    return least + Math.floor(this.fraction() * (most - least + 1))
  }

  chance(probability: number): boolean {
    return this.fraction() < probability
  }

  pick<A>(choices: ReadonlyArray<A>): A {
    return choices[this.between(0, choices.length - 1)]!
  }

  /** One of the names, each as likely as its weight says. */
  weighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name {
    const names = Object.keys(weights) as Array<Name>
    let rest = this.fraction() * names.reduce((sum, name) => sum + weights[name], 0)
    for (const name of names) {
      rest -= weights[name]
      if (rest < 0) return name
    }
    return names.at(-1)!
  }

  /** `0x` and so many bytes in hexadecimal. */
  hex(bytes: number): `0x${string}` {
    let text = ""
    while (text.length < bytes * 2) text += this.between(0, 0xffff).toString(16).padStart(4, "0")
    return `0x${text.slice(0, bytes * 2)}`
  }

  /** In the form of a version-4 UUID. */
  uuid(): string {
    const digits = this.hex(16).slice(2)
    return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(13, 16)}-8${digits.slice(17, 20)}-${digits.slice(20)}`
  }

  /** A fate of its own, so that what is asked of it does not change what is asked of this one. */
  branch(): Fate {
    return new Fate(this.between(0, 0xffff_ffff))
  }
}
