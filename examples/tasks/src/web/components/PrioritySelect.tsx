/** A select for the priority, and its labels. */
export const PRIORITIES: Readonly<Record<number, string>> = { 1: 'High', 2: 'Normal', 3: 'Low' }

interface PrioritySelectProps {
  value: number
  onChange: (priority: number) => void
}

export function PrioritySelect({ value, onChange }: PrioritySelectProps) {
  return (
    <select aria-label="Priority" value={value} onChange={(event) => onChange(Number(event.target.value))}>
      {Object.entries(PRIORITIES).map(([priority, text]) => (
        <option key={priority} value={priority}>
          {text}
        </option>
      ))}
    </select>
  )
}
