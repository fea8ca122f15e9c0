/*
 * A circuit breaker as a pure state machine. Closed: calls pass. Open: calls are refused until `until`.
 * Probing: one call is out to see whether the upstream is back, the others are refused.
 */

export interface CircuitSettings {
  /** Failures in a row that open the circuit. */
  readonly failures: number
  /** How long it stays open; doubles with each opening in a row, up to `maxOpenMillis`. */
  readonly openMillis: number
  readonly maxOpenMillis: number
}

/** `generation` counts the changes of state: an outcome of an older one says nothing about this one. */
export type CircuitState =
  | { readonly _tag: "Closed"; readonly generation: number; readonly failures: number }
  | {
      readonly _tag: "Open"
      readonly generation: number
      readonly until: number
      readonly openings: number
    }
  | { readonly _tag: "Probing"; readonly generation: number; readonly openings: number }

export type Outcome = "success" | "failure" | "neutral"

export const closed: CircuitState = { _tag: "Closed", generation: 0, failures: 0 }

export type Admission =
  | { readonly _tag: "Admitted"; readonly state: CircuitState }
  | { readonly _tag: "Refused"; readonly retryAfterMillis: number }

/** Whether a call may go out now, and the state if it does. */
export const admit = (state: CircuitState, now: number, settings: CircuitSettings): Admission => {
  switch (state._tag) {
    case "Closed":
      return { _tag: "Admitted", state }
    case "Probing":
      return { _tag: "Refused", retryAfterMillis: settings.openMillis }
    case "Open":
      return now < state.until
        ? { _tag: "Refused", retryAfterMillis: state.until - now }
        : {
            _tag: "Admitted",
            state: { _tag: "Probing", generation: state.generation + 1, openings: state.openings }
          }
  }
}

/** The state after the outcome of a call that was admitted in `generation`. */
export const record = (
  state: CircuitState,
  call: { readonly generation: number; readonly outcome: Outcome },
  now: number,
  settings: CircuitSettings
): CircuitState => {
  if (call.generation !== state.generation) return state
  const open = (openings: number): CircuitState => ({
    _tag: "Open",
    generation: state.generation + 1,
    until: now + Math.min(settings.openMillis * 2 ** (openings - 1), settings.maxOpenMillis),
    openings
  })
  switch (state._tag) {
    case "Open":
      return state
    case "Closed":
      if (call.outcome === "neutral") return state
      if (call.outcome === "success") return state.failures === 0 ? state : { ...state, failures: 0 }
      return state.failures + 1 < settings.failures ? { ...state, failures: state.failures + 1 } : open(1)
    case "Probing":
      switch (call.outcome) {
        case "success":
          return { _tag: "Closed", generation: state.generation + 1, failures: 0 }
        case "failure":
          return open(state.openings + 1)
        case "neutral":
          // Nothing was learned: the next call is the probe.
          return { _tag: "Open", generation: state.generation + 1, until: now, openings: state.openings }
      }
  }
}
