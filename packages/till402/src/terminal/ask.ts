import { createInterface } from "node:readline"

/** Asks on the terminal, beside the results; a closed input is an empty answer. */
export const askOnTerminal = (question: string): Promise<string> =>
  new Promise((resolve) => {
    const lines = createInterface({ input: process.stdin, output: process.stderr })
    lines.once("close", () => resolve(""))
    lines.question(question, (answer) => {
      resolve(answer)
      lines.close()
    })
  })
