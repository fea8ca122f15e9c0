/** Environment variables, by name. */
export type Environment = Readonly<Record<string, string | undefined>>

/** Sends requests to upstreams: the platform's `fetch`, or a test's. */
export type Fetch = typeof globalThis.fetch | undefined

/** A part of the service, and a line about it for the operator. */
export interface Part<A> {
  /** `undefined` without its variables. */
  readonly port: A | undefined
  readonly line: string
}

/** The value of a variable; `undefined` if it is empty. */
export const valueOf = (environment: Environment, name: string): string | undefined =>
  environment[name] || undefined

/** The value of a variable as a number; `undefined` if it is empty, and NaN if it is none, which its user refuses. */
export const numberOf = (environment: Environment, name: string): number | undefined => {
  const value = valueOf(environment, name)
  return value === undefined ? undefined : Number(value)
}

/** A part that is left out. */
export const missing = (part: string, variables: string, without: string): Part<never> => ({
  port: undefined,
  line: `${part}: missing. Set ${variables}; without, ${without}.`
})
