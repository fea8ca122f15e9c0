import { StatementSync } from "node:sqlite"

/**
 * Cuts the power amid a verb of a store on SQLite: after so many statements, everything that the process
 * still asks of its database fails, so that what it had not committed is gone when its files are closed.
 *
 * It stands between the stores and SQLite itself, where nothing of the stores can be in its way. One run
 * at a time.
 */
class Fuse {
  private left: number | undefined
  private isInstalled = false

  /** Lets so many statements pass, and none after them until {@link replace}. */
  arm(statements: number): void {
    this.install()
    this.left = statements
  }

  /** The power has been cut. */
  get isBlown(): boolean {
    return this.left !== undefined && this.left < 0
  }

  replace(): void {
    this.left = undefined
  }

  private install(): void {
    if (this.isInstalled) return
    this.isInstalled = true
    const pass = (): void => {
      if (this.left !== undefined && --this.left < 0) throw new Error("the power is cut")
    }
    const { prototype } = StatementSync
    for (const name of ["all", "run"] as const) {
      const original: (this: StatementSync, ...parameters: ReadonlyArray<never>) => unknown = prototype[name]
      Object.defineProperty(prototype, name, {
        configurable: true,
        value: function (this: StatementSync, ...parameters: ReadonlyArray<never>): unknown {
          pass()
          return original.apply(this, [...parameters])
        }
      })
    }
  }
}

export const fuse = new Fuse()
