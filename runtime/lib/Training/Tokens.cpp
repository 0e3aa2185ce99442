//===- Tokens.cpp - windows of one long list of tokens --------------------===//

#include "DataSources.h"
#include "hocket/Io/FileFormat.h"
#include "hocket/Io/Npy.h"
#include "hocket/Io/TensorCheck.h"

namespace hocket::runtime {

namespace {

class TokenBatches : public Batches {
public:
  TokenBatches(std::string path, std::unique_ptr<MappedFile> file,
               StoredTensor stored, const plan::GlobalTensor &tokens,
               int64_t windows, uint64_t seed)
      : Batches(tokens.dims[0], windows, seed), path(std::move(path)),
        file(std::move(file)), stored(std::move(stored)), dims(tokens.dims) {}

  std::string name() const override { return "data '" + path + "'"; }

protected:
  bool describeData(const std::string &tensor,
                    TensorDescription &description) const override {
    description = {plan::DType::I32, dims};
    return tensor == "tokens" || tensor == "targets";
  }
  Status readRow(const std::string &tensor, int64_t example, int64_t begin,
                 int64_t elements, plan::DType type,
                 void *destination) const override {
    int64_t at = example * dims[1] + begin + (tensor == "targets" ? 1 : 0);
    return readStored(stored, name(), Box{stored.dims, {at}, {elements}}, type,
                      destination);
  }

private:
  std::string path;
  std::unique_ptr<MappedFile> file;
  StoredTensor stored;
  std::vector<int64_t> dims;
};

bool isInteger(FileType type) {
  return describedAs(type) != plan::DType::F32 &&
         describedAs(type) != plan::DType::F64 &&
         describedAs(type) != plan::DType::F16 &&
         describedAs(type) != plan::DType::BF16 && type != FileType::Bool;
}

/// The inputs must be `tokens` [batch, seq] and perhaps `targets` like it.
Status findTokens(const plan::Plan &plan, const plan::GlobalTensor *&tokens,
                  bool &hasTargets) {
  const plan::GlobalTensor *targets = nullptr;
  const plan::GlobalTensor *other = nullptr;
  for (const plan::GlobalTensor &input : plan.inputs) {
    if (input.name == "tokens")
      tokens = &input;
    else if (input.name == "targets")
      targets = &input;
    else if (!isStep(input))
      other = &input;
  }
  hasTargets = targets != nullptr;
  std::string gives = "a file of tokens gives 'tokens' and 'targets', the "
                      "program takes ";
  if (!tokens)
    return Status::userError(gives + "no 'tokens'");
  if (other)
    return Status::userError(gives + "'" + other->name +
                             "' too; give tensors by name instead: --data "
                             "FILE.safetensors");
  for (const plan::GlobalTensor *input : {tokens, targets})
    if (input &&
        (input->dims.size() != 2 || input->dims != tokens->dims ||
         (input->type != plan::DType::I32 && input->type != plan::DType::I64)))
      return Status::userError(
          "a file of tokens gives integers [batch, seq], '" + input->name +
          "' is " + spell(input->type, input->dims));
  return Status::success();
}

/// The whole file as one list of numbers.
Status describeFile(const MappedFile &file, const std::string &path,
                    std::optional<FileType> raw, StoredTensor &stored) {
  auto fail = [&](const std::string &why) {
    return Status::userError("data '" + path + "'" + why);
  };
  bool isNpy = path.size() > 4 && path.compare(path.size() - 4, 4, ".npy") == 0;
  if (isNpy && !raw) {
    std::string error;
    if (!parseNpy(file.data(), file.size(), stored, error))
      return unread(file, "data", path, error, true);
    if (stored.dims.size() != 1 || !isInteger(stored.type))
      return fail(" has " + std::to_string(stored.dims.size()) + " dims of " +
                  toString(stored.type) +
                  ", expected one dim of integers; give other tensors by "
                  "name: --data tokens=" +
                  path);
    return Status::success();
  }
  // What is not said to hold tokens may as well be a file of PyTorch.
  if (!raw && formatOf(file, path))
    return unread(file, "data", path, "", true);
  FileType type = raw.value_or(FileType::U16);
  int64_t size = byteSize(type);
  if (int64_t(file.size()) % size != 0)
    return fail(" has " + std::to_string(file.size()) +
                " bytes, which is no number of " + toString(type) +
                "; say what it holds: --token-type u8");
  stored = {type, {int64_t(file.size()) / size}, file.data()};
  return Status::success();
}

} // namespace

Status openTokens(const plan::Plan &plan, const DataOptions &options,
                  std::unique_ptr<Batches> &batches) {
  if (options.files.size() != 1)
    return Status::userError("tokens are read from one file, --data names " +
                             std::to_string(options.files.size()));
  const plan::GlobalTensor *tokens = nullptr;
  bool hasTargets = false;
  if (Status status = findTokens(plan, tokens, hasTargets); !status.ok())
    return status;
  const std::string &path = options.files[0];
  auto file = std::make_unique<MappedFile>();
  StoredTensor stored;
  Status status = file->open(path, "data");
  if (status.ok())
    status = describeFile(*file, path, options.tokenType, stored);
  if (!status.ok())
    return status;
  int64_t seq = tokens->dims[1], later = hasTargets ? 1 : 0;
  int64_t windows = std::max<int64_t>(stored.dims[0] - later, 0) / seq;
  if (windows == 0)
    return Status::userError(
        "data '" + path + "' has " + std::to_string(stored.dims[0]) +
        " tokens, too few for a window of " + std::to_string(seq + later));
  batches = std::make_unique<TokenBatches>(
      path, std::move(file), std::move(stored), *tokens, windows, options.seed);
  return Status::success();
}

} // namespace hocket::runtime
