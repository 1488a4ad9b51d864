/** The data directory cannot be used as it stands. */
export class DataFolderUnusable extends Error {
  override name = "DataFolderUnusable";
}
