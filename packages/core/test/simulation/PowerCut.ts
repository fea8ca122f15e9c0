import { StatementSync } from "node:sqlite"

/**
 * Simulates a power cut during a SQLite store operation: after a number of statements, all further ones fail,
 * so uncommitted data is lost when the files are closed.
 *
 * It patches SQLite itself, so no code of the stores can bypass it. Supports one run at a time.
 */
class PowerCut {
  private statementsLeft: number | undefined
  private isInstalled = false

  /** Lets this many statements pass, and none after them until {@link reset}. */
  arm(statements: number): void {
    this.install()
    this.statementsLeft = statements
  }

  /** Whether the power was cut. */
  get hasOccurred(): boolean {
    return this.statementsLeft !== undefined && this.statementsLeft < 0
  }

  reset(): void {
    this.statementsLeft = undefined
  }

  private install(): void {
    if (this.isInstalled) return
    this.isInstalled = true
    const pass = (): void => {
      if (this.statementsLeft !== undefined && --this.statementsLeft < 0) throw new Error("the power is cut")
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

export const powerCut = new PowerCut()
