import { Command } from "effect/cli"
import { newSecret } from "../init/secret.ts"
import { json } from "./flags.ts"
import { type Surroundings, work } from "./Surroundings.ts"

export const secretCommand = ({ output }: Surroundings) =>
  Command.make("secret", { json }, (input) =>
    work(async () => {
      const secret = newSecret()
      output.print(input.json ? JSON.stringify({ TILL_SECRET: secret }) : `TILL_SECRET=${secret}`)
      output.note("Keep it: purchases, responses and quotes can't be read without it.")
    })
  ).pipe(Command.withDescription("Makes a secret of 256 bits for TILL_SECRET"))
