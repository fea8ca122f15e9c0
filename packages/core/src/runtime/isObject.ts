/** Whether a value is an object with fields: no array, no function, not `null`. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
