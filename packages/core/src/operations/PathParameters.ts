type NameIn<Segment extends string> = Segment extends `:${infer Name}` ? Name : never

type NamesIn<Path extends string> = Path extends `${infer Segment}/${infer Rest}`
  ? NameIn<Segment> | NamesIn<Rest>
  : NameIn<Path>

/** The parameters of a path: `"/weather/:city"` has `{ city: string }`. */
export type PathParameters<Path extends string> = string extends Path
  ? Readonly<Record<string, string>>
  : { readonly [Name in NamesIn<Path>]: string }
