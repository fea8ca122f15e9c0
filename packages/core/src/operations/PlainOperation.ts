import type { CallContext } from "../runtime/Deadline.ts"
import type { OwnOperationOptions } from "./OwnOperationOptions.ts"
import type { PathParameters } from "./PathParameters.ts"

/** A schema of zod, valibot, arktype or another library: https://standardschema.dev, version 1. */
export interface StandardSchema<Output = unknown> {
  readonly "~standard": {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined
  }
}

type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | {
      readonly issues: ReadonlyArray<{
        readonly message: string
        readonly path?: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> | undefined
      }>
    }

/** A paid route of a host, in plain TypeScript. */
export interface PlainOperation<Input = unknown> extends OwnOperationOptions<Input> {
  /**
   * Any Standard Schema of an object that always returns the same value for the same input. Path and query values are
   * text. Default: only the path's parameters; query and body are ignored.
   */
  readonly input?: StandardSchema<Input>
  /**
   * The paid work. Returns data that is sent as JSON. Throw an `ApiFailure` (4xx, 502 or 503) to refuse: nothing is
   * charged. Any other error is a 500, and nothing is charged either.
   */
  readonly work: (input: Input, context: CallContext) => unknown
}

/** An operation whose input type only the operation itself knows. */
// eslint-disable-next-line typescript/no-explicit-any -- the input is decoded and used by the same operation
export type AnyPlainOperation = PlainOperation<any>

/**
 * Types the input of an operation by its schema, or else by its path; returns it unchanged. For the option `operations`.
 *
 * @example
 * const weather = operation({
 *   id: "weather",
 *   method: "GET",
 *   path: "/weather/:city",
 *   description: "Weather of a city, now",
 *   price: "0.02",
 *   work: ({ city }) => ({ city, celsius: 21 })
 * })
 */
export const operation = <const Path extends string, Input = PathParameters<Path>>(
  options: PlainOperation<Input> & { readonly path: Path }
): PlainOperation<Input> => options
