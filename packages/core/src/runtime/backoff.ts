/** Doubles the pause after each failed attempt, from `first` to `longest`; milliseconds. */
export const backoff =
  (first: number, longest: number) =>
  (attempts: number): number =>
    Math.min(first * 2 ** Math.min(attempts, 30), longest)
