/*
 * Calls the real upstreams with keys from the environment; reports and skips those that aren't configured. Ends with
 * code 1 if an upstream doesn't behave as our provider expects.
 *
 *   node --conditions=@till402/source e2e/staging/main.ts [name…] [--place] [--record FOLDER]
 *
 * --place also places orders, only at staging services. --record stores the responses, sanitized, as fixtures.
 */
import { runCommand } from "./src/Command.ts"

process.exitCode = await runCommand(process.argv.slice(2), {
  environment: process.env,
  print: (text) => void process.stdout.write(text),
  complain: (text) => void process.stderr.write(text)
})
// Ends connections that an upstream keeps open.
setTimeout(() => process.exit(), 5_000).unref()
