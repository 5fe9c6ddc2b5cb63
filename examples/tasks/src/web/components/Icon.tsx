/** The icons of the app as inline SVG: no package, no font, no request. */

const PATHS = {
  tasks: 'M4 6.5 5.5 8 8 5M4 12.5 5.5 14 8 11M4 18.5 5.5 20 8 17M11.5 6.5H20M11.5 12.5H20M11.5 18.5H20',
  chat: 'M4 5.5h16v11H10l-4.5 4v-4H4z',
  assistant: 'M12 3.5 13.8 9l5.7 1.8-5.7 1.8L12 18.5l-1.8-5.9-5.7-1.8L10.2 9zM18.5 16v4.5M16.2 18.2h4.6',
  files: 'M6 3.5h8l4 4v13H6zM13.5 3.5v4.5H18',
  account: 'M12 12.5a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM4.5 20.5c1-4 4-5.5 7.5-5.5s6.5 1.5 7.5 5.5',
  edit: 'M4.5 19.5l1-4L16 5l3 3L8.5 18.5z',
  remove: 'M5 7h14M9.5 7V4.5h5V7M7 7l1 13h8l1-13M10.5 10.5v6M13.5 10.5v6',
  download: 'M12 4v10.5M7.5 10.5 12 15l4.5-4.5M5 19.5h14',
  check: 'm5 12.5 4.5 4.5L19 7.5',
} as const

/** An icon next to a label; screen readers skip it. */
export function Icon({ name }: { name: keyof typeof PATHS }) {
  return (
    <svg className="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  )
}
