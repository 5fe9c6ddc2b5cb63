/** Sample tasks, enough for a second page. */
export const EXAMPLES: readonly { title: string; priority: number }[] = [
  { title: 'Water the plants', priority: 3 },
  { title: 'Call the dentist', priority: 2 },
  { title: 'Book the train to the coast', priority: 2 },
  { title: 'Finish the slides for Thursday', priority: 1 },
  { title: 'Read one chapter', priority: 3 },
  { title: 'Repair the bicycle', priority: 2 },
  { title: 'Write the invoice for June', priority: 1 },
  { title: 'Plan the birthday party', priority: 2 },
  { title: 'Sort the photos of last summer', priority: 3 },
  { title: 'Answer the letter from the school', priority: 1 },
]
