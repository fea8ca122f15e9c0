/*
 * Sentences of a text.
 */

const segmenter = new Intl.Segmenter("en", { granularity: "sentence" })

/** Ends of segments after which a sentence goes on: an abbreviation, an initial, a number that begins a line. */
const unfinished =
  /(?:^|[\s(])(?:No|Nr|ca|bzw|ggf|inkl|max|min|approx|env|aprox|e\.g|i\.e|p\. ?ex|vs|etc|Dr|Mr|Mrs|Ms|St|U\.S|\p{L})\.\s*$|^\s*\d{1,2}\.\s+$/u

/** Where a sentence ends before a number, which the segmenter doesn't see: `in the box. 484 pieces`. */
const beforeNumber = /(?<=\p{Ll}{4}[.]\s+(?<!(?:approx|aprox|circa|umgerechnet)\.\s+))(?=\d)/u

/** The sentences of a text, without the white space around them. `size 10. The` is the end of one. */
export const sentencesOf = (text: string): ReadonlyArray<string> =>
  text.split("\n").flatMap((line) => {
    const sentences: Array<string> = []
    const segments = Array.from(segmenter.segment(line)).flatMap(({ segment }) => segment.split(beforeNumber))
    for (const segment of segments) {
      const last = sentences.at(-1)
      if (last !== undefined && unfinished.test(last)) sentences[sentences.length - 1] = last + segment
      else sentences.push(segment)
    }
    return sentences.map((sentence) => sentence.trim()).filter((sentence) => sentence !== "")
  })
