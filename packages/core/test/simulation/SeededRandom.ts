import { mulberry32 } from "../../../testing/src/mulberry32.ts"

/** A seeded random source (mulberry32): the same seed and the same calls give the same values. */
export class SeededRandom {
  private readonly seed: number
  private readonly next: () => number

  constructor(seed: number) {
    this.seed = seed
    // Mixes the seed, so that neighboring seeds have nothing in common.
    this.next = mulberry32(Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b))
  }

  /** A fraction from 0 up to, but not including, 1. */
  fraction(): number {
    return this.next() / 4_294_967_296
  }

  /** An integer from `least` to `most`, both included. */
  between(least: number, most: number): number {
    return least + Math.floor(this.fraction() * (most - least + 1))
  }

  chance(probability: number): boolean {
    return this.fraction() < probability
  }

  pick<A>(choices: ReadonlyArray<A>): A {
    return choices[this.between(0, choices.length - 1)]!
  }

  /** One of the names, with a probability proportional to its weight. */
  weighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name {
    const names = Object.keys(weights) as Array<Name>
    let rest = this.fraction() * names.reduce((sum, name) => sum + weights[name], 0)
    for (const name of names) {
      rest -= weights[name]
      if (rest < 0) return name
    }
    return names.at(-1)!
  }

  /** `0x` and this many bytes in hexadecimal. */
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

  /** The source of this name: it depends on the seed and the name alone, not on what was drawn before. */
  stream(name: string): SeededRandom {
    let seed = this.seed
    // FNV-1a.
    for (const character of name) seed = Math.imul(seed ^ character.codePointAt(0)!, 0x0100_0193)
    return new SeededRandom(seed)
  }

  /** An independent source: drawing from it doesn't change the values of this one. */
  branch(): SeededRandom {
    return new SeededRandom(this.between(0, 0xffff_ffff))
  }
}
