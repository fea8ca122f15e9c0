import { type ChildProcess, fork } from "node:child_process"

/** A process of the bench that was started by another one. */
export interface Worker<Input, Output> {
  /** Its first message. */
  readonly ready: Output
  /** Sends a message and waits for the response. */
  readonly request: (input: Input) => Promise<Output>
  readonly stop: () => Promise<void>
}

const nextMessage = <Output>(child: ChildProcess, file: string): Promise<Output> =>
  new Promise((resolve, reject) => {
    const exited = (): void => reject(new Error(`a process of the bench ended: ${file}`))
    child.once("exit", exited)
    child.once("message", (message) => {
      child.removeListener("exit", exited)
      resolve(message as Output)
    })
  })

/** Starts a file of this folder in a process of its own; resolves with its first message. */
export const startWorker = async <Options, Input, Output>(
  file: string,
  options: Options,
  nodeOptions: ReadonlyArray<string> = []
): Promise<Worker<Input, Output>> => {
  const child = fork(new URL(file, import.meta.url), [JSON.stringify(options)], {
    execArgv: [...process.execArgv, ...nodeOptions]
  })
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()))
  const ready = await nextMessage<Output>(child, file)
  return {
    ready,
    request: (input) => {
      const response = nextMessage<Output>(child, file)
      child.send(input as object)
      return response
    },
    stop: async () => {
      if (child.connected) child.disconnect()
      await exited
    }
  }
}

/** The options that this process was started with. It ends with its parent. */
export const workerOptions = <Options>(): Options => {
  process.on("disconnect", () => process.exit(0))
  return JSON.parse(process.argv[2]!) as Options
}

export const report = (message: unknown): void => {
  process.send!(message as object)
}

/** Handles each message of the parent; what it resolves with is the response. */
export const respond = <Input>(handle: (input: Input) => Promise<unknown>): void => {
  process.on("message", (input) => {
    handle(input as Input).then(report, (error: unknown) => {
      console.error(error)
      process.exit(1)
    })
  })
}
