// Loaded into a server before its own code: a signal makes it throw, out of nowhere, an error full of secrets.
process.on('SIGUSR2', () => {
  const error = new Error(`crash with ${process.env.CANARIES}`);
  error.detail = process.env.CANARIES;
  throw error;
});
