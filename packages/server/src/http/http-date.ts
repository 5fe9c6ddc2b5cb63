/** The date format from RFC 9110 §5.6.7, and the two obsolete formats that recipients must also accept. */
const IMF_FIXDATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/
const RFC_850 = /^[A-Z][a-z]{5,8}, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/
const ASCTIME = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/

/** Converts an HTTP date to ms since the Unix epoch, or returns null if it is missing or malformed. */
export function parseHttpDate(header: string | null): number | null {
  if (header === null) return null
  const isDate = IMF_FIXDATE.test(header) || RFC_850.test(header)
  // An asctime date has no time zone, so `Date.parse` would use the local one.
  const text = ASCTIME.test(header) ? `${header} GMT` : isDate ? header : ''
  const time = Date.parse(text)
  return Number.isNaN(time) ? null : time
}
