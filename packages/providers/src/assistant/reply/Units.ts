/*
 * Units of measure by their names in many languages, which the platform knows.
 */

/** Sizes of units in the first one, by what they measure. */
const kinds: ReadonlyArray<Readonly<Record<string, number>>> = [
  { meter: 1, millimeter: 0.001, centimeter: 0.01, inch: 0.0254, foot: 0.3048 },
  { liter: 1, milliliter: 0.001, "fluid-ounce": 0.0296, gallon: 3.785 },
  { kilogram: 1, gram: 0.001, ounce: 0.02835, pound: 0.4536 }
]

/** Names that titles have beside the platform's: ounces measure volumes, too. */
const furtherNames: ReadonlyArray<Readonly<Record<string, number>>> = [
  { '"': 0.0254, w: 0.0254, l: 0.0254 },
  { oz: 0.0296, ounce: 0.0296, cl: 0.01, cup: 0.237, cups: 0.237, qt: 0.946, quart: 0.946, quarts: 0.946 },
  { lbs: 0.4536 }
]

const locales = "en de fr es it pt nl sv pl ru ja ko zh zh-TW".split(" ")
/** Languages have up to five forms of a name. */
const counts = [1, 2, 5, 100, 1.5]

/** The names of a unit in all languages, without the space before them. */
const namesOf = (unit: string): ReadonlySet<string> =>
  new Set(
    locales.flatMap((locale) =>
      (["long", "short"] as const).flatMap((unitDisplay) => {
        const format = new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay })
        return counts.flatMap((count) =>
          format
            .formatToParts(count)
            .filter(({ type }) => type === "unit")
            .map(({ value }) => value.trim().toLowerCase().replace(/\.$/u, ""))
        )
      })
    )
  )

/** Sizes by name, for each kind of measure. */
export type UnitSizes = ReadonlyMap<string, number>

let known: ReadonlyArray<UnitSizes> | undefined

/** The units of lengths, volumes and weights. Made once: it takes longer than a call may wait. */
export const unitSizes = (): ReadonlyArray<UnitSizes> =>
  (known ??= kinds.map(
    (units, kind) =>
      new Map([
        ...Object.entries(units).flatMap(([unit, size]) =>
          Array.from(namesOf(unit), (name) => [name, size] as const)
        ),
        ...Object.entries(furtherNames[kind] ?? {})
      ])
  ))
