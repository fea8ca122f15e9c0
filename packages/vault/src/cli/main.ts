#!/usr/bin/env node
import { run } from "./run.ts"

const line = (stream: NodeJS.WriteStream) => (text: string) => void stream.write(`${text}\n`)

process.exitCode = await run(
  process.argv.slice(2),
  { database: process.env["TILL_DATABASE"], files: process.env["TILL_FILES"] },
  { print: line(process.stdout), complain: line(process.stderr) }
)
